/** Wei and IDs are decimal text, because JSON numbers lack the precision. */
export interface ParametersJson {
  readonly [name: string]: string | number | ParametersJson
}

const NUMBER = /^\d+$/

export function parametersToJson(parameters: object): ParametersJson {
  const entries = Object.entries(parameters).map(([name, value]) => {
    if (typeof value === 'bigint') return [name, String(value)]
    return [name, typeof value === 'object' ? parametersToJson(value) : value]
  })
  return Object.fromEntries(entries)
}

export function parametersFromJson(json: ParametersJson): object {
  const decode = (of: ParametersJson): object =>
    Object.fromEntries(
      Object.entries(of).map(([name, value]) => {
        if (typeof value === 'object') return [name, decode(value)]
        return [name, typeof value === 'string' && NUMBER.test(value) ? BigInt(value) : value]
      }),
    )
  return decode(json)
}
