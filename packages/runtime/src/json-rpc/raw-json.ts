/**
 * A result that is JSON text already, made in another thread: it goes into the answer as it is. As a string, because
 * one of single-byte characters moves between threads in one copy, and the answer around it is text as well.
 */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
