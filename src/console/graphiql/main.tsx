import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './page.css';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { StrictMode, useEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { keepSessionToken, sessionToken, takeTokenFromFragment } from './session-token.ts';
import { singleOperation } from './single-operation.ts';
import { tabs } from './tabs.ts';
import { TokenBar } from './token-bar.tsx';

function Page() {
  const [token, setToken] = useState(sessionToken);
  // Headers of the editor win over these, so that one tab can try another token.
  const fetcher = useMemo(() => {
    const signed: Record<string, string> =
      token === null ? {} : { Authorization: `Bearer ${token}` };
    return singleOperation(
      createGraphiQLFetcher({
        url: '/graphql',
        headers: signed,
        subscriptionUrl: `${location.origin.replace('http', 'ws')}/graphql`,
        wsConnectionParams: signed,
      }),
    );
  }, [token]);
  useEffect(() => {
    const follow = () => {
      if (takeTokenFromFragment()) setToken(sessionToken());
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const change = (next: string | null) => {
    keepSessionToken(next);
    setToken(next);
  };
  return (
    <GraphiQL fetcher={fetcher} defaultTabs={tabs} defaultEditorToolsVisibility={false}>
      <GraphiQL.Logo>Odograph</GraphiQL.Logo>
      <GraphiQL.Footer>
        <TokenBar token={token} onChange={change} />
      </GraphiQL.Footer>
    </GraphiQL>
  );
}

takeTokenFromFragment();
const place = document.getElementById('page');
if (place === null) throw new Error('The page has no place for GraphiQL.');
createRoot(place).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
