export class Journal {
  readonly #undo: (() => void)[] = []

  record(undo: () => void): void {
    this.#undo.push(undo)
  }

  checkpoint(): number {
    return this.#undo.length
  }

  revertTo(checkpoint: number): void {
    while (this.#undo.length > checkpoint) (this.#undo.pop() as () => void)()
  }

  clear(): void {
    this.#undo.length = 0
  }
}
