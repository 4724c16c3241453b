/** Logs a reason for waiting only when it changes. */
export class WaitingLog {
  #last: string | null = null

  /** Keys that differ only in numbers count as the same. */
  log(key: string, write: () => void): void {
    const text = key.replace(/\d+/g, '')
    if (this.#last === text) return
    this.#last = text
    write()
  }

  clear(): void {
    this.#last = null
  }
}
