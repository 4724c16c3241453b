export class UndoLog {
  readonly #steps: (() => void)[] = []
  readonly #marks: number[] = []

  set<K, V>(map: Map<K, V>, key: K, value: V): void {
    const had = map.has(key)
    const before = map.get(key) as V
    this.#steps.push(() => (had ? map.set(key, before) : map.delete(key)))
    map.set(key, value)
  }

  checkpoint(): void {
    this.#marks.push(this.#steps.length)
  }

  commit(): void {
    this.#marks.pop()
  }

  revert(): void {
    const mark = this.#marks.pop() ?? 0
    while (this.#steps.length > mark) this.#steps.pop()?.()
  }
}
