/** Is told of what was wanted of a JSON document, in the order in which it passes. */
export interface JsonSink<Field> {
  /** A value; of a long string its beginning. */
  onValue(field: Field, value: number | string | boolean | null): void;
  /** Text that is not empty passes. */
  onText(field: Field): void;
  /** An object or an array begins. */
  onOpen(field: Field): void;
}
