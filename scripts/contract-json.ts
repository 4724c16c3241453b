/** One list entry per line, for readable diffs. */

export function contractJson(value: Record<string, unknown>): string {
  const fields = Object.entries(value).map(([key, field]) => {
    if (!Array.isArray(field) || field.length === 0) return `${JSON.stringify(key)}: ${JSON.stringify(field)}`
    return `${JSON.stringify(key)}: [\n${field.map((item) => `  ${JSON.stringify(item)}`).join(',\n')}\n]`
  })
  return `{\n${fields.join(',\n')}\n}\n`
}
