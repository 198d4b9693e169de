import type { ExecutionResult } from 'graphql';
import type { Principal } from '../../src/auth/principal.ts';
import type { Context } from '../../src/schema/context.ts';
import { execute, prepare } from '../../src/schema/execute.ts';
import type { PrismaClient } from '../../src/store/generated/prisma/client.ts';
import { aContext } from '../support/rows.ts';

/** Runs a document as one of the doors of the service would. */
export function ask(
  prisma: PrismaClient,
  principal: Principal | null,
  document: string,
  variables: Record<string, unknown> = {},
  context: Partial<Context> = {},
): Promise<ExecutionResult> {
  return execute(prepare(document), { variables, context: aContext(prisma, principal, context) });
}

/** The same, for a document that must succeed. */
export async function answer(...asked: Parameters<typeof ask>): Promise<Record<string, unknown>> {
  const { data, errors } = await ask(...asked);
  if (errors !== undefined || data == null) throw new Error(JSON.stringify(errors));
  return data;
}

/** The value at a path of an answer, such as `vehicle.drives.nodes`. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, step) =>
        typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined,
      value,
    );
}

/** The list at a path of an answer. */
export function listAt(value: unknown, path: string): unknown[] {
  const found = at(value, path);
  if (!Array.isArray(found)) throw new Error(`No list at ${path}: ${JSON.stringify(value)}`);
  return found;
}

/** Codes of the errors of a result, in their order. */
export function codes({ errors }: ExecutionResult): unknown[] {
  return (errors ?? []).map((error) => error.extensions.code);
}
