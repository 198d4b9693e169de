import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
} from 'graphql';

function included(node: SelectionNode, info: GraphQLResolveInfo): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, node, info.variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, info.variableValues);
  return skip?.if !== true && include?.if !== false;
}

function fieldsUnder(nodes: readonly SelectionNode[], info: GraphQLResolveInfo): FieldNode[] {
  return nodes.flatMap((node) => {
    if (!included(node, info)) return [];
    if (node.kind === Kind.FIELD) return [node];
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : info.fragments[node.name.value];
    return fieldsUnder(fragment?.selectionSet.selections ?? [], info);
  });
}

/** Names of the fields that are asked for directly under the field being resolved. */
export function askedFields(info: GraphQLResolveInfo): ReadonlySet<string> {
  const under = info.fieldNodes.flatMap((node) =>
    fieldsUnder(node.selectionSet?.selections ?? [], info),
  );
  return new Set(under.map((field) => field.name.value));
}

/** Names of the fields that are asked for anywhere under the field being resolved. */
export function askedBelow(info: GraphQLResolveInfo): ReadonlySet<string> {
  const names = new Set<string>();
  const below = (nodes: readonly FieldNode[]) => {
    for (const node of nodes) {
      const under = fieldsUnder(node.selectionSet?.selections ?? [], info);
      for (const field of under) names.add(field.name.value);
      below(under);
    }
  };
  below(info.fieldNodes);
  return names;
}
