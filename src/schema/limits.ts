import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionNode,
  type ValidationRule,
} from 'graphql';

/** What one operation may ask for (contract §13, security §4.1). */
export const limits = {
  /** Fields inside fields; introspection is bounded by graphql-js itself. */
  depth: 10,
  /** Renamed fields, counted as often as their fragment is spread. */
  aliases: 30,
  /** Lexical tokens of a document. */
  tokens: 2_000,
  /** Objects that may be answered, roughly: a list counts its page size. */
  cost: 10_000,
  /** Mistakes that are named before the rest is left out. */
  errors: 20,
} as const;

type Measure = { depth: number; aliases: number };

function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  return new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((definition) => [definition.name.value, definition]),
  );
}

/** Measures selections; fragments are measured once, and one inside itself counts nothing (another rule refuses it). */
function measurer(fragments: Map<string, FragmentDefinitionNode>) {
  const known = new Map<string, Measure>();
  const nothing: Measure = { depth: 0, aliases: 0 };

  function one(node: SelectionNode): Measure {
    if (node.kind === Kind.INLINE_FRAGMENT) return all(node.selectionSet.selections);
    if (node.kind === Kind.FRAGMENT_SPREAD) return spread(node.name.value);
    if (node.name.value.startsWith('__')) return nothing;
    const inside = all(node.selectionSet?.selections ?? []);
    return {
      depth: inside.depth + 1,
      aliases: inside.aliases + (node.alias === undefined ? 0 : 1),
    };
  }

  function spread(name: string): Measure {
    const measured = known.get(name);
    if (measured !== undefined) return measured;
    known.set(name, nothing);
    const measure = all(fragments.get(name)?.selectionSet.selections ?? []);
    known.set(name, measure);
    return measure;
  }

  function all(nodes: readonly SelectionNode[]): Measure {
    return nodes.map(one).reduce(
      (sum, next) => ({
        depth: Math.max(sum.depth, next.depth),
        aliases: sum.aliases + next.aliases,
      }),
      nothing,
    );
  }
  return all;
}

/** Refuses operations that are too deep or rename too much. */
export const limitsRule: ValidationRule = (context) => {
  const measure = measurer(fragmentsOf(context.getDocument()));
  return {
    OperationDefinition(node) {
      const { depth, aliases } = measure(node.selectionSet.selections);
      if (depth > limits.depth) {
        const message = `The operation is ${depth} fields deep; at most ${limits.depth} are allowed.`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      }
      if (aliases > limits.aliases) {
        const message = `The operation has ${aliases} aliases; at most ${limits.aliases} are allowed.`;
        context.reportError(new GraphQLError(message, { nodes: node }));
      }
      return false;
    },
  };
};
