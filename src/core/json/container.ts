import type { JsonPlace } from './jsonPlace.ts';

/** An object or array around the place where a scanner is. */
export interface Container<Field> {
  readonly isObject: boolean;
  readonly place: JsonPlace<Field>;
  /** Of an object: a string that comes is a key. */
  expectsKey: boolean;
  /** Of an object: where the value of the last key stands; undefined when it is not wanted. */
  member: JsonPlace<Field> | undefined;
}

/** Where a value stands that comes next. */
export function placeIn<Field>(container: Container<Field>): JsonPlace<Field> | undefined {
  return container.isObject ? container.member : container.place.elements;
}
