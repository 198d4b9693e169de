type Rule = { pattern: RegExp; replacement: string };

/**
 * What must never be written to a log, wherever it stands in a line, with what stands there instead (style 18).
 * Each replacement keeps a JSON line a JSON line.
 */
const rules: readonly Rule[] = [
  // Our own credentials carry a prefix so that they can be found like this.
  { pattern: /\bodo_[a-z]+_[A-Za-z0-9_-]+/g, replacement: '[token]' },
  // A secret that signs webhooks, and a signature made with one.
  { pattern: /\bwhsec_[A-Za-z0-9+/_-]+=*/g, replacement: '[secret]' },
  { pattern: /\bv1,[A-Za-z0-9+/]{43}=/g, replacement: 'v1,[signature]' },
  { pattern: /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]+/gi, replacement: '$1 [credential]' },
  // Three base64url parts: a token of a maker or of an OAuth client.
  { pattern: /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, replacement: '[token]' },
  {
    pattern: /\b(api_key|access_token|refresh_token|client_secret|password|token)=[^&\s"'\\]+/gi,
    replacement: '$1=[secret]',
  },
  { pattern: /(\w+:\/\/[^\s:/@"]+):[^\s@/"]+@/g, replacement: '$1:[secret]@' },
  // A vehicle identification number: 17 characters without I, O and Q that end in digits (ISO 3779).
  { pattern: /\b(?=\d*[a-z])[a-hj-npr-z0-9]{13}\d{4}\b/gi, replacement: '[vin]' },
  {
    pattern: /(\\?"(?:latitude|longitude|lat|lon|lng)\\?"\s*:\s*)-?\d+(?:\.\d+)?/gi,
    replacement: '$1null',
  },
  { pattern: /\b(latitude|longitude|lat|lon|lng)=-?\d+(?:\.\d+)?/gi, replacement: '$1=[position]' },
  { pattern: /-?\b\d{1,3}\.\d{4,}\s*[,;]\s*-?\d{1,3}\.\d{4,}/g, replacement: '[position]' },
];

/** `line` without tokens, keys, passwords, whole VINs and positions. */
export function redacted(line: string): string {
  return rules.reduce((text, rule) => text.replace(rule.pattern, rule.replacement), line);
}
