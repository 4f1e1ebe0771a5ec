// The member of a list that a link names: it stays while its form is open, also when the list loses it.
import { useRef } from 'preact/hooks';

/** The newest member that had this id; undefined where none had it since the component is shown. */
export function useLastFound<Member extends { readonly id: string }>(
  members: readonly Member[],
  id: string,
): Member | undefined {
  const last = useRef<Member | undefined>(undefined);
  last.current = members.find((member) => member.id === id) ?? last.current;
  return last.current?.id === id ? last.current : undefined;
}
