/** No id that a model makes is longer. */
const LONGEST = 256;

/** Answers "which model does this id belong to?" for the newest ids that were seen; older ones are forgotten. */
export class KnownIds {
  readonly #limit: number;
  readonly #models = new Map<string, string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Notes that the model has made, or was told, this id; one of more than 256 characters is not kept. */
  remember(id: string, model: string): void {
    if (id === '' || id.length > LONGEST) return;
    this.#models.delete(id);
    this.#models.set(id, model);
    if (this.#models.size <= this.#limit) return;
    for (const oldest of this.#models.keys()) {
      this.#models.delete(oldest);
      return;
    }
  }

  /** The model that was last seen with the id; undefined when it never was, or too long ago. */
  modelOf(id: string): string | undefined {
    return this.#models.get(id);
  }
}
