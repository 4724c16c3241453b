export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The value of an answer that may come as text, as those of other threads do. */
export function jsonValue(answer: unknown): unknown {
  return answer instanceof RawJson ? JSON.parse(answer.text) : answer
}
