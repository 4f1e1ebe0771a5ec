// The form that the server asks for: a login, or the token that it was started with.
import { useState } from 'preact/hooks';
import { sendRequest } from '../net/send-request.js';
import { keepToken, needsSignIn, signedIn, token } from '../net/session.js';
import { toFailure } from '../net/use-loaded.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { TextField } from '../parts/field.js';
import { Notice } from '../parts/notice.js';

/** The form over the page; what was shown is still there, and loaded again, afterwards. */
export function SignIn() {
  return needsSignIn.value === 'token' ? <TokenForm /> : <LoginForm />;
}

function LoginForm() {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const { failure, isBusy, run } = useAttempt(async () => {
    await sendRequest('login', { method: 'POST', body: { username, password } });
    signedIn();
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

function TokenForm() {
  const [text, setText] = useState('');
  return (
    <Dialog
      title="The server needs its token"
      isRequired
      onClose={() => {}}
      onSubmit={() => {
        keepToken(text);
        signedIn();
      }}
      actions={
        <Button kind="primary" type="submit">
          Continue
        </Button>
      }
    >
      <TextField
        label="Token"
        type="password"
        value={text}
        onChange={setText}
        isRequired
        hint={
          <>
            The value of <code>--token</code>. It is kept until this tab is closed.
          </>
        }
      />
      {token.value !== '' && <Notice kind="error" title="The server did not accept the token." />}
    </Dialog>
  );
}

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
