/** Why the demo cannot go on; the message says what to do. */
export class DemoError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DemoError';
  }
}
