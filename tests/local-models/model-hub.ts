// A hub of models for tests: an HTTP server that sends files and parts of them, also wrongly.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the hub treats a file. */
export interface HubFile {
  readonly content: Uint8Array;
  /** Other than as it should: it ignores Range, stops sending, has another size, or waits forever after a part. */
  readonly fault?: 'whole' | 'cut' | 'huge' | 'silent';
}

export interface ModelHub {
  /** The address of the files. It redirects to another address. */
  readonly url: string;
  /** The ranges that were asked for, in order. */
  readonly asked: readonly string[];
  /** Resolves when a request waits forever. */
  readonly held: Promise<void>;
  close(): void;
}

/** Starts a hub with files by their paths. */
export async function startHub(files: ReadonlyMap<string, HubFile>): Promise<ModelHub> {
  const asked: string[] = [];
  let hold = () => {};
  const held = new Promise<void>((resolve) => {
    hold = resolve;
  });
  const server = createServer((request, response) => answer(request, response, files, asked, hold));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    ...{ url: `http://127.0.0.1:${port}/owner/model/resolve/main`, asked, held },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  files: ReadonlyMap<string, HubFile>,
  asked: string[],
  hold: () => void,
): void {
  const path = (request.url ?? '').replace('/owner/model/resolve/main/', '').replace('/store/', '');
  const file = files.get(path);
  if (file === undefined) {
    response.writeHead(404).end();
    return;
  }
  if (!request.url?.startsWith('/store/')) {
    response.writeHead(302, { location: `/store/${path}` }).end();
    return;
  }
  asked.push(`${path} ${request.headers.range}`);
  const [, from = '0', to = '0'] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const { content, fault } = file;
  const [begin, end] = [Number(from), Math.min(Number(to) + 1, content.length)];
  if (fault === 'silent' && begin > 0) {
    hold();
    return;
  }
  if (fault === 'whole') {
    response.writeHead(200, { 'content-length': content.length }).end(content);
    return;
  }
  const size = fault === 'huge' ? 5_000_000_000 : content.length;
  const part = fault === 'cut' && begin > 0 ? new Uint8Array(0) : content.subarray(begin, end);
  response.writeHead(206, { 'content-range': `bytes ${begin}-${begin + part.length - 1}/${size}` }).end(part);
}
