/** Parameters of a network as JSON and back. */

/** Wei and ids as decimal text, since JSON numbers are too short. */
export interface ParametersJson {
  readonly [name: string]: string | number | ParametersJson
}

/** Decimal text is a number of any size; names and addresses stay text. */
const NUMBER = /^\d+$/

export function parametersToJson(parameters: object): ParametersJson {
  const entries = Object.entries(parameters).map(([name, value]) => {
    if (typeof value === 'bigint') return [name, String(value)]
    return [name, typeof value === 'object' ? parametersToJson(value) : value]
  })
  return Object.fromEntries(entries)
}

/** What parametersToJson gave; the content is not judged. */
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
