import { maskUrl, optionParsers as parse } from '@keelson/runtime'

export const databaseUrl = Object.assign(
  (value: unknown): string => {
    const url = parse.text(value)
    if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return url
    // The message omits the URL, which may contain a password.
    throw new parse.OptionValueError('expected a URL beginning with postgres:// or postgresql://')
  },
  { placeholder: '<url>', schema: parse.text.schema, show: maskUrl },
)
