// Who is logged in, on every screen, and the way to log out.
import { sendRequest } from '../net/send-request.js';
import { serverFacts } from '../net/server-facts.js';
import { keepToken, token, userOfToken } from '../net/session.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';
import { showToast } from '../state/toasts.js';

/** Nothing where the server asked for nothing: there is no session to end, and no token to forget. */
export function SignedIn() {
  const { user = '', role = '' } = serverFacts.value ?? {};
  if (user === '' && token.value === '') return null;
  const clusterUser = userOfToken(token.value);
  const who = user !== '' ? user : (clusterUser ?? 'with the token');
  const kind = user === '' ? kindOf(clusterUser) : roleWith(role, clusterUser);
  return (
    <div class="signed-in">
      <p title={`Logged in: ${who}${kind === '' ? '' : `, ${kind}`}`}>
        <Icon name="user" />
        <span class="hidden-label">Logged in: </span>
        <span class="signed-in-name">{who}</span>
        {kind !== '' && (
          <span class="muted">
            <span class="hidden-label">, </span>
            {kind}
          </span>
        )}
      </p>
      <LogOut hasSession={user !== ''} />
    </div>
  );
}

function kindOf(clusterUser: string | undefined): string {
  return clusterUser === undefined ? '' : 'user of the cluster';
}

/** Requests for rows have the rights of the user of the cluster, and not of the login. */
function roleWith(role: string, clusterUser: string | undefined): string {
  return clusterUser === undefined ? role : `${role}, ${clusterUser} in the cluster`;
}

function LogOut({ hasSession }: { readonly hasSession: boolean }) {
  const logOut = async () => {
    try {
      if (hasSession) await sendRequest('logout', { method: 'POST' });
      keepToken('');
      location.reload();
    } catch (error) {
      showToast(String(error), 'failed');
    }
  };
  return (
    <Button kind="quiet" icon="leave" onPress={() => void logOut()}>
      Log out
    </Button>
  );
}
