import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';

/** Where the rule behind a comment of the data model comes from; those pages are not part of what is published. */
const source = / \((?:architecture|contract|maker\.md|performance\.md|security|spec)\b[^()]*\)/g;

/** The schema with the sources of rules left out of the descriptions that come from the data model. */
export function withoutSources(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    type.description = type.description?.replace(source, '');
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      field.description = field.description?.replace(source, '');
    }
  }
  return schema;
}
