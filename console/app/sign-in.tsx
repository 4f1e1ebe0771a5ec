// The form that the server asks for: a login, or the token that it was started with.
import { useState } from 'preact/hooks';
import { sendRequest } from '../net/send-request.js';
import { lastUserSeen, serverFacts } from '../net/server-facts.js';
import { clusterUserToken, keepToken, needsSignIn, signedIn, token, tokenProblem } from '../net/session.js';
import { toFailure } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { TextField } from '../parts/field.js';
import { Notice } from '../parts/notice.js';
import { Segments } from '../parts/segments.js';
import { beginAnew } from '../state/url-state.js';

/** The form over the page; what was shown is still there, and loaded again, afterwards. */
export function SignIn() {
  return needsSignIn.value === 'token' ? <TokenForm /> : <LoginForm />;
}

function LoginForm() {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const { failure, isBusy, run } = useAttempt(async () => {
    const user = lastUserSeen();
    await sendRequest('login', { method: 'POST', body: { username, password } });
    // What the one before typed, loaded and opened is not for another user, nor a user of the cluster.
    if (user === '' || user === username) signedIn();
    else {
      keepToken('');
      beginAnew();
    }
  });
  return (
    <Dialog
      title="Log in to Colonnade"
      isRequired
      onClose={() => {}}
      onSubmit={run}
      actions={
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Log in
        </Button>
      }
    >
      <TextField
        label="User"
        name="username"
        autoComplete="username"
        value={username}
        onChange={setUsername}
        isRequired
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      {failure !== undefined && <Notice kind="error" title={toFailure(failure).message} />}
    </Dialog>
  );
}

/** The token of the server; where its rows are in a cluster, a user of the cluster may be given instead. */
function TokenForm() {
  const { hasClusterUsers, needsToken } = serverFacts.value ?? { hasClusterUsers: false, needsToken: true };
  const [way, setWay] = useState<(typeof ways)[number]>(needsToken ? 'Token' : 'User of the cluster');
  const [text, setText] = useState('');
  const [user, setUser] = useState({ name: '', password: '' });
  const isUser = way !== 'Token';
  const problem = isUser ? undefined : tokenProblem(text);
  return (
    <Dialog
      title={isUser ? 'Log in as a user of the cluster' : 'The server needs its token'}
      isRequired
      onClose={() => {}}
      onSubmit={() => {
        if (problem !== undefined) return;
        keepToken(isUser ? clusterUserToken(user.name, user.password) : text);
        signedIn();
      }}
      actions={
        <Button kind="primary" type="submit" isDisabled={problem !== undefined}>
          Continue
        </Button>
      }
    >
      {hasClusterUsers && needsToken && (
        <Segments label="Token or user" choices={ways} chosen={way} onChoose={setWay} />
      )}
      {isUser ? (
        <ClusterUserFields user={user} onChange={setUser} />
      ) : (
        <TextField
          label="Token"
          type="password"
          value={text}
          onChange={setText}
          problem={problem}
          isRequired
          hint={
            <>
              The value of <code>--token</code>. It is kept until this tab is closed.
            </>
          }
        />
      )}
      {token.value !== '' && (
        <Notice
          kind="error"
          title={`The server did not accept the ${isUser ? 'user or the password' : 'token'}.`}
        />
      )}
    </Dialog>
  );
}

interface ClusterUser {
  readonly name: string;
  readonly password: string;
}

function ClusterUserFields({
  user,
  onChange,
}: {
  readonly user: ClusterUser;
  readonly onChange: (user: ClusterUser) => void;
}) {
  return (
    <>
      <TextField
        label="User"
        autoComplete="username"
        value={user.name}
        onChange={(name) => onChange({ ...user, name })}
        isRequired
        hint="A role of Apache Cassandra. It is kept until this tab is closed."
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        value={user.password}
        onChange={(password) => onChange({ ...user, password })}
        isRequired
      />
    </>
  );
}

const ways = ['Token', 'User of the cluster'] as const;

function useAttempt(attempt: () => Promise<void>) {
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = () => {
    setBusy(true);
    attempt()
      .catch(setFailure)
      .finally(() => setBusy(false));
  };
  return { failure, isBusy, run };
}
