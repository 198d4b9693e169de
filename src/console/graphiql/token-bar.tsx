import { type FormEvent, type ReactNode, useState } from 'react';

type TokenBarProps = { token: string | null; onChange: (token: string | null) => void };

/** Says which token signs the calls, by its last four characters, and lets it be changed or forgotten. */
export function TokenBar({ token, onChange }: TokenBarProps): ReactNode {
  const [text, setText] = useState('');
  const keep = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    onChange(text.trim());
    setText('');
  };
  if (token !== null) {
    return (
      <div className="token-bar">
        <span>
          Calls carry the token ending in <b>{token.slice(-4)}</b>, kept in this browser tab only.
        </span>
        <button type="button" onClick={() => onChange(null)}>
          Forget
        </button>
      </div>
    );
  }
  return (
    <form className="token-bar" onSubmit={keep}>
      <label htmlFor="token">Without a token only public fields answer.</label>
      <input
        id="token"
        type="password"
        autoComplete="off"
        placeholder="odo_pat_..."
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit">Use token</button>
    </form>
  );
}
