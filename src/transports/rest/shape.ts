import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { snakeCase } from '../../base/spelling.ts';

/** A field of an answer: where it stands in the GraphQL result, and what it is called in REST. */
export type Field = {
  /** Name in the REST answer. */
  key: string;
  /** Name in the GraphQL result. */
  name: string;
  node: FieldNode;
  type: GraphQLOutputType;
  parent: GraphQLObjectType;
  description: string;
  /** What is inside; null for a value. */
  fields: readonly Field[] | null;
  /**
   * The one field that is told in its place: of a thing of which only its id is asked for, so that `vehicle { id }` is
   * `vehicle_id`; of a list that is no page, so that `drives { nodes { ... } }` is `drives`; and of a thing that got a name
   * of its own, so that `chargeState: state { charge { ... } }` is `charge_state`.
   */
  only: string | null;
};

/** The field whose fields are told in the place of another's; null for one that is told itself, or by its id. */
export function standIn({ only, fields }: Field): Field | null {
  return only === null || only === 'id' ? null : (fields?.[0] ?? null);
}

/** The fields of a selection without fragments on a type. Throws where the schema has no such field. */
export function fieldsOf(parent: GraphQLObjectType, selectionSet: SelectionSetNode): Field[] {
  const fields = selectionSet.selections.map((node) => {
    if (node.kind !== Kind.FIELD) throw new Error('A fragment was not written out.');
    return fieldOf(parent, node);
  });
  const twice = fields.find(({ key }, index) => fields.findIndex((one) => one.key === key) < index);
  if (twice !== undefined) throw new Error(`${parent.name} is asked for ${twice.key} twice.`);
  return fields;
}

function fieldOf(parent: GraphQLObjectType, node: FieldNode): Field {
  const definition = parent.getFields()[node.name.value];
  if (definition === undefined) throw new Error(`${parent.name} has no ${node.name.value}.`);
  const named = getNamedType(definition.type);
  const fields =
    node.selectionSet !== undefined && isObjectType(named)
      ? fieldsOf(named, node.selectionSet)
      : null;
  const name = node.alias?.value ?? node.name.value;
  const many = isListType(getNullableType(definition.type));
  const only = many ? null : onlyOf(fields ?? [], node.alias !== undefined);
  return {
    key: snakeCase(name) + (only === 'id' ? '_id' : ''),
    name,
    node,
    type: definition.type,
    parent,
    description: definition.description ?? '',
    fields,
    only,
  };
}

function onlyOf([first, ...others]: readonly Field[], renamed: boolean): Field['only'] {
  if (first === undefined || others.length > 0) return null;
  return renamed || first.name === 'id' || first.name === 'nodes' ? first.name : null;
}

/** The field under a path of GraphQL names, such as `vehicle.drives.nodes`. Throws where it is not asked for. */
export function fieldAt(fields: readonly Field[], path: readonly string[]): Field {
  const [first, ...rest] = path;
  const field = fields.find(({ name }) => name === first);
  if (field === undefined) throw new Error(`The operation does not ask for ${path.join('.')}.`);
  return rest.length === 0 ? field : fieldAt(field.fields ?? [], rest);
}

/** A selection that asks for the fields and nothing else. */
export function selectionOf(fields: readonly Field[]): SelectionSetNode {
  const selections = fields.map(({ node, fields: inside }) =>
    inside === null ? node : { ...node, selectionSet: selectionOf(inside) },
  );
  return { kind: Kind.SELECTION_SET, selections };
}
