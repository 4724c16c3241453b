/** JSON text serialized by another thread. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
