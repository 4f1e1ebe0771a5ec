// The Data screen: keyspaces, tables and collections.
import { EmptyState } from '../parts/notice.js';

/** The Data screen. */
export function DataScreen() {
  return <EmptyState icon="data" title="Data" />;
}
