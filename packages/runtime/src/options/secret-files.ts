/** NAME_FILE names a file with the value of NAME, as container engines provide it. */
import { messageOf } from '@keelson/primitives'
import type { OptionSet } from './option.ts'
import { OptionsError } from './resolve-options.ts'

const SUFFIX = '_FILE'

type Environment = Readonly<Record<string, string | undefined>>

/** Removes one final line end. Throws OptionsError without the content. */
export function readSecretFiles(set: OptionSet, env: Environment, read: (path: string) => string): Environment {
  const added: Record<string, string> = {}
  const mistakes: string[] = []
  const definitions = Object.values(set)
  const namesOf = ({ env, alias }: OptionSet[string]) => (alias === null ? [env] : [env, alias.env])
  const variables = new Set(definitions.flatMap(namesOf))
  for (const name of definitions.filter(({ secret }) => secret).flatMap(namesOf)) {
    // An option has this name; the command reads its file.
    if (variables.has(name + SUFFIX)) continue
    const path = env[name + SUFFIX] ?? ''
    if (path === '') continue
    if ((env[name] ?? '') !== '') mistakes.push(`${name} and ${name}${SUFFIX} are both set; set one of them`)
    else {
      try {
        added[name] = read(path).replace(/\r?\n$/, '')
        if (added[name] === '') mistakes.push(`${name}${SUFFIX}: ${path} is empty; it must hold the value of ${name}`)
      } catch (error) {
        mistakes.push(`${name}${SUFFIX}: cannot read ${path}: ${messageOf(error)}`)
      }
    }
  }
  if (mistakes.length > 0) throw new OptionsError(mistakes)
  return { ...env, ...added }
}
