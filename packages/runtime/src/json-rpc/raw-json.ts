/** JSON text from another thread; a string is copied once. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
