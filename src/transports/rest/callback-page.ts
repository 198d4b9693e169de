import { type ErrorCode, errorTable, type ServiceError } from '../../base/errors.ts';
import { escapedHtml, htmlPage } from '../../base/html-page.ts';
import { isRecord } from './telling.ts';

const { html, policy } = htmlPage(`
h1 { font-size: 1.6rem; line-height: 1.25; text-wrap: balance }
p { font-size: 1.05rem }
h2 { margin: 2.5rem 0 .25rem; font-size: 1rem }
ol, ul { margin: 0; padding: 0 0 0 1.25rem }
li { padding: .5rem 0 }
a { color: var(--accent); overflow-wrap: anywhere }
code { font: .85em/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
b { font-weight: 600; color: var(--ink) }
small { display: block; margin-top: 3rem; color: var(--soft); overflow-wrap: anywhere }
.mark { display: block; width: 2.75rem; height: 2.75rem; margin: 0 0 1rem; border-radius: 50%; background: var(--accent); color: var(--paper); font: 700 1.5rem/2.75rem system-ui, sans-serif; text-align: center }
.mark.no { background: #a5291b; color: #fff }
`);

/** Policy to send with the page. */
export const callbackPolicy = policy;

/** What the maker's words for scopes open, for people. */
const scopeWords: { readonly [scope: string]: string } = {
  offline_access: 'access while you are away; without it the link ends after some hours',
  vehicle_device_data: 'what the vehicle tells of itself',
  vehicle_location: 'where the vehicle is; drives have no route without it',
  vehicle_cmds: 'commands, such as unlocking',
  vehicle_charging_cmds: 'commands that start and stop charging',
  user_data: 'your address at the maker',
  openid: 'who you are',
};

const list = (items: readonly string[]) => items.map((item) => `<li>${item}</li>`).join('\n');

/** The page for a link that was made: what it is, and what to do next. `told` is what the callback answers in JSON. */
export function linkedPage(told: unknown): string {
  const fields = isRecord(told) ? told : {};
  const { linked, label, vehiclesCount, missingScopes, pairingUrl } = fields;
  const missing = (Array.isArray(missingScopes) ? missingScopes : []).map(
    (scope) =>
      `<code>${escapedHtml(String(scope))}</code>: ${scopeWords[String(scope)] ?? 'more of it'}`,
  );
  const lacks =
    missing.length === 0
      ? ''
      : `<h2>You did not allow</h2>\n<ul>\n${list(missing)}\n</ul>\n<p>To allow it, sign in anew from Odograph.</p>`;
  if (linked !== true) {
    return page({ good: false, title: 'Too little was allowed.' }, [
      '<p>The account is kept, but nothing can be recorded with what you allowed.</p>',
      lacks,
    ]);
  }
  const name = typeof label === 'string' ? ` “${escapedHtml(label)}”` : '';
  return page({ good: true, title: 'Your account is linked.' }, [
    `<p>Odograph follows <b>${vehiclesText(vehiclesCount)}</b> of the account${name} from now on. A sleeping vehicle is never woken to be read, so its first data comes when it wakes by itself.</p>`,
    `<h2>What to do next</h2>\n<ol>\n${list(nextSteps(pairingUrl))}\n</ol>`,
    lacks,
  ]);
}

function vehiclesText(count: unknown): string {
  return count === 1 ? '1 vehicle' : `${Number(count)} vehicles`;
}

function nextSteps(pairingUrl: unknown): string[] {
  const close = 'Close this page. Drives and charges are recorded without anything else.';
  if (typeof pairingUrl !== 'string') return [close];
  const link = `<a href="${escapedHtml(pairingUrl)}">${escapedHtml(pairingUrl)}</a>`;
  return [
    `To send commands and to let vehicles stream, put the key of this service on each vehicle: open ${link} on the phone that has the maker’s app.`,
    close,
  ];
}

const titles: { readonly [C in ErrorCode]?: string } = {
  consent_denied: 'You did not allow it.',
  relink_required: 'This sign-in cannot be used any more.',
  invalid_request: 'This sign-in is not known here.',
  validation_failed: 'This address is not complete.',
};

const advice = {
  relink_maker: 'Start again from Odograph, and complete it within 10 minutes.',
  retry_later: 'The sign-in is used up. Wait a while, then start again from Odograph.',
  contact_admin: 'Tell the operator of this instance; the log says more.',
  fix_request: 'Start again from Odograph, and let the maker send you back here by itself.',
  reauthenticate: 'Start again from Odograph.',
  wake_vehicle: 'Start again from Odograph.',
} as const;

/** The page for a sign-in that came to nothing: why, and what to do. */
export function failedPage(error: ServiceError, requestId: string): string {
  const { resolution } = errorTable[error.code];
  return page({ good: false, title: titles[error.code] ?? 'The account was not linked.' }, [
    `<p>${escapedHtml(error.message)}</p>`,
    `<h2>What to do next</h2>\n<p>${advice[resolution ?? 'contact_admin']}</p>`,
    `<small>Request ${escapedHtml(requestId)}, ${error.code}.</small>`,
  ]);
}

function page(head: { good: boolean; title: string }, parts: readonly string[]): string {
  const mark = `<span class="mark${head.good ? '' : ' no'}" aria-hidden="true">${head.good ? '✓' : '!'}</span>`;
  const body = parts.filter((part) => part !== '').join('\n');
  return html(`${head.title} Odograph`, `${mark}\n<h1>${head.title}</h1>\n${body}`);
}
