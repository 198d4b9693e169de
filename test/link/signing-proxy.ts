import { createPrivateKey, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { z } from 'zod';

const wish = z.object({ vins: z.array(z.string()), config: z.record(z.string(), z.unknown()) });

/** A stand-in for the maker's signing proxy: it signs what vehicles are told to stream and passes everything on (maker.md §1.9). */
export type SigningProxy = AsyncDisposable & {
  baseUrl: string;
  /** Takes the private key (PEM) that it signs with. */
  sign: (privatePem: string) => void;
  seen: string[];
};

/** Starts it before a maker. */
export async function startSigningProxy(makerUrl: () => string): Promise<SigningProxy> {
  let privatePem = '';
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '/', method = 'GET', headers } = request;
      seen.push(`${method} ${url}`);
      const body = Buffer.concat(chunks).toString();
      if (url === '/health') {
        response.end('OK');
        return;
      }
      const told = url === '/api/1/vehicles/fleet_telemetry_config';
      void fetch(`${makerUrl()}${told ? `${url}_jws` : url}`, {
        method,
        headers: {
          authorization: headers.authorization ?? '',
          'content-type': 'application/json',
        },
        body: method === 'GET' ? undefined : told ? signed(body, privatePem) : body,
      }).then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(await answer.text());
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    sign: (pem) => {
      privatePem = pem;
    },
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function signed(body: string, privatePem: string): string {
  const { vins, config } = wish.parse(JSON.parse(body));
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'ES256', typ: 'JWT' })}.${part(config)}`;
  const key = createPrivateKey(privatePem);
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return JSON.stringify({ vins, token: `${text}.${signature.toString('base64url')}` });
}
