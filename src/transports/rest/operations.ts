import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { packageRoot } from '../../base/package-root.ts';
import { prepare } from '../../schema/execute.ts';

/** The operations of `schema/operations`, by name. */
export type Operations = ReadonlyMap<string, OperationDefinitionNode>;

/** An operation that the schema does not take, named with what is wrong; the service does not start with it. */
export class OperationError extends Error {
  constructor(name: string, errors: readonly GraphQLError[]) {
    super(`The operation ${name} is invalid: ${errors.map((error) => error.message).join(' ')}`);
    this.name = 'OperationError';
  }
}

/** Reads every `.graphql` file of a folder as one document. */
export function readOperationFiles(folder: string): DocumentNode {
  const names = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  const texts = names.sort().map((name) => readFileSync(join(folder, name), 'utf8'));
  return parse(texts.join('\n'), { noLocation: true });
}

/**
 * Our own operations with their fragments written out, each held against the schema and the limits. Throws
 * OperationError for one that the schema does not take.
 */
export function loadOperations(
  document: DocumentNode = readOperationFiles(join(packageRoot, 'schema', 'operations')),
): Operations {
  const { definitions } = document;
  const fragments = new Map(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  const operations = definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  // All at once, so that what many of them spread is looked at once.
  if (prepare(document).errors.length > 0) throw invalidOf(operations, document, fragments);
  return new Map(
    operations.map((operation) => {
      const selectionSet = writtenOut(operation.selectionSet, fragments);
      return [nameOf(operation), { ...operation, selectionSet }];
    }),
  );
}

/** Which operation of an invalid document is to blame; the document as a whole where none is by itself. */
function invalidOf(
  operations: readonly OperationDefinitionNode[],
  document: DocumentNode,
  fragments: Fragments,
): OperationError {
  for (const operation of operations) {
    const used = [...fragmentsUnder(operation.selectionSet, fragments)];
    const { errors } = prepare({ kind: Kind.DOCUMENT, definitions: [operation, ...used] });
    if (errors.length > 0) return new OperationError(nameOf(operation), errors);
  }
  return new OperationError('of all files', prepare(document).errors);
}

function nameOf({ name }: OperationDefinitionNode): string {
  return name?.value ?? '(without a name)';
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

function fragmentsUnder(
  selectionSet: SelectionSetNode,
  fragments: Fragments,
  found = new Set<FragmentDefinitionNode>(),
): Set<FragmentDefinitionNode> {
  visit(selectionSet, {
    FragmentSpread(spread) {
      const fragment = fragments.get(spread.name.value);
      if (fragment === undefined || found.has(fragment)) return;
      found.add(fragment);
      fragmentsUnder(fragment.selectionSet, fragments, found);
    },
  });
  return found;
}

/** The selection without fragments; the operation is valid, so every spread has its fragment and none is in itself. */
function writtenOut(selectionSet: SelectionSetNode, fragments: Fragments): SelectionSetNode {
  const selections = selectionSet.selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) {
      const inside = node.selectionSet;
      return inside === undefined ? node : { ...node, selectionSet: writtenOut(inside, fragments) };
    }
    const under =
      node.kind === Kind.INLINE_FRAGMENT
        ? node.selectionSet
        : fragments.get(node.name.value)?.selectionSet;
    return under === undefined ? [] : writtenOut(under, fragments).selections;
  });
  return { kind: Kind.SELECTION_SET, selections };
}
