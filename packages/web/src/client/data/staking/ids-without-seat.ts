/** Ids, counted from 1 to `registered`, at the places `from` to `from + count - 1` of those that are not `seated`. */
export function idsWithoutSeat(seated: readonly number[], registered: number, from: number, count: number): readonly number[] {
  const ids: number[] = []
  let id = from + 1
  for (const taken of [...seated].sort((a, b) => a - b)) if (taken <= id) id++
  const skipped = new Set(seated)
  for (; id <= registered && ids.length < count; id++) if (!skipped.has(id)) ids.push(id)
  return ids
}
