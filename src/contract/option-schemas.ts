/** Schemas of the measuring options at a place, from their table. */
import Type, { type TOptional, type TSchema, type TUnsafe } from 'typebox';
import { type Conditions, conditionSchemas } from './conditions/conditions.ts';
import { labelText, nullable } from './fields.ts';
import { type OptionAt, type OptionRow, type OptionRows, type OptionValue, optionsAt } from './measuring-options.ts';
import type { RequestCategory } from './names.ts';

/** Places of a query, and of a body, in which null means absent; `page body` has the options of `page`. */
type QueryPlace = 'psi' | 'page' | 'stored';
type BodyPlace = 'page body' | 'batch' | 'schedule' | 'experiment';
/** Places that other programs check by their schema, without defaults and null. */
type PlainPlace = 'mcp' | 'ci';
type SchemaPlace = QueryPlace | BodyPlace | PlainPlace;
type TableOf<Place extends SchemaPlace> = Place extends 'page body' ? 'page' : Exclude<Place, 'page body'>;

/** Type of an option as it is sent to a place. A query has its list as text. */
type SentValue<Name extends keyof OptionRows, Place extends SchemaPlace> = OptionRows[Name]['type'] extends 'list'
  ? Place extends QueryPlace
    ? string | null
    : RequestCategory[] | (Place extends BodyPlace ? null : never)
  : Place extends PlainPlace
    ? NonNullable<OptionValue<Name, TableOf<Place>>>
    : OptionValue<Name, TableOf<Place>>;

type OptionProperties<Place extends SchemaPlace> = {
  [Name in Exclude<OptionAt<TableOf<Place>>, Place extends QueryPlace ? keyof Conditions : never>]: TOptional<
    TUnsafe<SentValue<Name, Place>>
  >;
};

const queryPlaces: ReadonlySet<string> = new Set<QueryPlace>(['psi', 'page', 'stored']);
const plainPlaces: ReadonlySet<string> = new Set<PlainPlace>(['mcp', 'ci']);

const enumOf = ({ values = [] }: OptionRow) => Type.Enum([...values], { type: 'string' });

const toTitle = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

function toValueSchema(name: string, row: OptionRow, place: SchemaPlace, isPlain: boolean): TSchema {
  if (row.type === 'condition') {
    // Its own rules read an access, which may be a file or a name as well.
    if (isPlain && name === 'access') return Type.Union([Type.String({ minLength: 1 }), Type.Object({})]);
    const schema: TSchema = conditionSchemas[name as keyof Conditions];
    return isPlain ? schema : nullable(schema);
  }
  if (row.type === 'choice') return enumOf(row);
  if (row.type === 'flag') return Type.Boolean();
  if (row.type === 'runs') return Type.Union([Type.Integer({ minimum: 1, maximum: 5 }), Type.Literal('auto')]);
  if (isPlain) {
    const { maxLength } = labelText;
    return row.type === 'list' ? Type.Array(enumOf(row)) : Type.String({ minLength: 1, maxLength });
  }
  if (row.type === 'line') return nullable(Type.String(labelText));
  return nullable(queryPlaces.has(place) ? Type.String() : Type.Array(enumOf(row)));
}

/** Returns the optional properties of a request at a place, in the order of the table. */
export function optionProperties<Place extends SchemaPlace>(place: Place): OptionProperties<Place> {
  const isPlain = plainPlaces.has(place);
  const rows = optionsAt(place === 'page body' ? 'page' : place).filter(
    ([, { type }]) => type !== 'condition' || !queryPlaces.has(place),
  );
  const properties = rows.map(([name, row]) => {
    const words = isPlain
      ? { ...row.bounds, description: row.help }
      : { ...(row.default === undefined ? {} : { default: row.default }), title: toTitle(name), description: row.help };
    return [name, Type.Optional({ ...toValueSchema(name, row, place, isPlain), ...words })];
  });
  return Object.fromEntries(properties);
}
