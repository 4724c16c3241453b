/** Values by "Section.Key", in the order of the file. */
export type Unit = ReadonlyMap<string, readonly string[]>

/** Throws for a line that is neither a comment, a section nor an assignment. */
export function readUnit(text: string): Unit {
  const unit = new Map<string, string[]>()
  let section = ''
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '' || line.startsWith('#')) continue
    const [, heading] = /^\[(\w+)\]$/.exec(line) ?? []
    const [, key, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (heading !== undefined) section = heading
    else if (key !== undefined && section !== '') unit.set(`${section}.${key}`, [...(unit.get(`${section}.${key}`) ?? []), value])
    else throw new Error(`line ${index + 1}: expected a section or an assignment, got "${line}"`)
  }
  return unit
}
