// The routes of the web console: its files, and the facts that it needs of the server.
import * as v from 'valibot';
import { factsReply } from '../../descriptions/operations-replies.js';
import { OpsError } from '../errors/ops-error.js';
import type { OpsParts } from './ops-parts.js';
import { type Route, WholeReply } from './route.js';

/** The page loads, runs and asks only what this port serves, and no other page can show it in a frame. */
const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};
const fileHeaders = { ...pageHeaders, 'cache-control': 'max-age=31536000, immutable' };

/** Instead of the page of another build, whose scripts this server does not have. */
const replacedPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Colonnade: restart the server</title>
<h1>Restart the server</h1>
<p>The files of this console were replaced by a build or an update while the server was running.
The server still answers requests. Restart it, then reload this page.</p>
</html>
`;
const replacedHeaders = { ...pageHeaders, 'cache-control': 'no-store' };

const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

export function consoleRoutes(parts: OpsParts): readonly Route[] {
  const { consoleFiles, consoleFacts, dataService, users, version } = parts;
  const files = new Map(consoleFiles?.files.map((file) => [file.name, file]));
  return [
    {
      method: 'GET',
      path: '/',
      summary: 'The web console.',
      access: 'open',
      contentType: 'text/html',
      reply: v.string(),
      answer: () => {
        if (consoleFiles === undefined)
          throw new OpsError('NotFound', 'this package was built without a console');
        const contentType = 'text/html; charset=utf-8';
        if (!consoleFiles.areUnchanged())
          return new WholeReply({ status: 503, contentType, body: replacedPage, headers: replacedHeaders });
        return new WholeReply({ status: 200, contentType, file: consoleFiles.page, headers: pageHeaders });
      },
    },
    {
      method: 'GET',
      path: '/console/facts',
      summary: 'What the web console adapts to: the parts of this server, and the login of the caller.',
      access: 'open',
      reply: factsReply,
      answer: async ({ caller: { user } }) => ({
        version,
        ...consoleFacts,
        dataUrl: await dataService.call('dataUrl', undefined),
        needsLogin: !users.isEmpty,
        user,
        role: users.find(user)?.role ?? '',
      }),
    },
    {
      method: 'GET',
      path: '/console/{file}',
      summary: 'A script, style sheet or picture of the web console.',
      access: 'open',
      contentType: 'application/octet-stream',
      reply: v.string(),
      answer: ({ params }) => {
        const name = params['file'] ?? '';
        const found = files.get(name);
        const contentType = contentTypes[name.split('.').at(-1) ?? ''];
        if (found === undefined || contentType === undefined)
          throw new OpsError('NotFound', `the console has no file ${JSON.stringify(name)}`);
        const { file, encodedFiles } = found;
        return new WholeReply({ status: 200, contentType, file, encodedFiles, headers: fileHeaders });
      },
    },
  ];
}
