import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { z } from 'zod';
import { wwwAuthenticate } from '../../auth/challenge.ts';
import { type ErrorCode, errorTable, ServiceError } from '../../base/errors.ts';
import type { LiveContext } from '../../schema/yoga.ts';
import { withoutStatus } from './without-status.ts';

/** The context of an operation, with what its HTTP answer will say in `WWW-Authenticate`. */
export type ServerContext = LiveContext & { challenge: string | null };

function isErrorCode(word: string): word is ErrorCode {
  return Object.hasOwn(errorTable, word);
}

const coded = z.object({
  code: z
    .string()
    .transform((code) => code.toLowerCase())
    .refine(isErrorCode),
  requiredScope: z.string().optional(),
});

/** `WWW-Authenticate` for an error in an answer, or null when it is not about who calls. */
function challengeOf(error: GraphQLError): string | null {
  const { success, data } = coded.safeParse(error.extensions);
  if (!success) return null;
  const { code, requiredScope } = data;
  return wwwAuthenticate(new ServiceError(code, error.message, { requiredScope }));
}

/** Whether a root field was answered in spite of the errors. */
function answersSomething({ data }: ExecutionResult): boolean {
  return Object.entries(data ?? {}).some(
    ([name, value]) => name !== '__typename' && value !== null,
  );
}

/**
 * Gives 401 and 403 their challenge (RFC 6750 3), and lets an answer that carries data be a 200 although a part of it
 * failed, as the GraphQL-over-HTTP specification wants it (6.4.2).
 */
export function challengesPlugin(): Plugin<ServerContext, ServerContext> {
  return {
    onExecutionResult({ result, setResult, context }) {
      if (result === undefined || Array.isArray(result) || !('errors' in result)) return;
      const errors = result.errors ?? [];
      if (answersSomething(result)) {
        setResult({ ...result, errors: errors.map(withoutStatus) });
        return;
      }
      const challenges = errors.flatMap((error) => challengeOf(error) ?? []);
      context.challenge = challenges[0] ?? null;
    },
  };
}
