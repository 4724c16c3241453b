export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
