import { option, optionParsers as parse, parseFlags, resolveOptions } from '@keelson/runtime'

/** Not an environment variable, which a development network would pass on to its roles. */
export const configFlag = option({
  key: 'config',
  parse: parse.list(parse.text),
  default: [],
  description: 'Configuration files.',
})

/** Values of --config in a command line. */
export function configNames(words: readonly string[]): readonly string[] {
  const ours = words.flatMap((word, index) => {
    if (word === '--config') return [word, words[index + 1] ?? '']
    return word.startsWith('--config=') ? [word] : []
  })
  return resolveOptions({ configFlag }, { flags: parseFlags(ours, { configFlag }).flags }).values.configFlag
}
