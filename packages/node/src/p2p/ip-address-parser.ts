import { optionParsers as parse, parseIpAddress } from '@keelson/runtime'

export const ipAddress = Object.assign(
  (value: unknown): string => {
    const text = parse.text(value)
    if (parseIpAddress(text) !== null) return text
    throw new parse.OptionValueError(`expected an IP address, got "${text.slice(0, 80)}"`)
  },
  { placeholder: '<address>', schema: parse.text.schema },
)
