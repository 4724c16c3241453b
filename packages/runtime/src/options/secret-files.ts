/**
 * Secrets from files: for an option that is secret, the variable NAME_FILE names a file that holds the value of NAME. Container
 * engines hand secrets over as files, where neither `inspect` nor the environment of other processes shows them.
 */
import type { OptionSet } from './option.ts'
import { OptionsError } from './resolve-options.ts'

const SUFFIX = '_FILE'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment with the files' content, one line end removed from its end. Throws OptionsError for a file that cannot be read or
 * is empty, and for a secret given both ways; the message never holds the content.
 */
export function readSecretFiles(set: OptionSet, env: Environment, read: (path: string) => string): Environment {
  const added: Record<string, string> = {}
  const mistakes: string[] = []
  const definitions = Object.values(set)
  const namesOf = ({ env, alias }: OptionSet[string]) => (alias === null ? [env] : [env, alias.env])
  const variables = new Set(definitions.flatMap(namesOf))
  for (const name of definitions.filter(({ secret }) => secret).flatMap(namesOf)) {
    // a command with an option for such a file reads it itself, possibly as an encrypted keystore
    if (variables.has(name + SUFFIX)) continue
    const path = env[name + SUFFIX] ?? ''
    if (path === '') continue
    if ((env[name] ?? '') !== '') mistakes.push(`${name} and ${name}${SUFFIX} are both set; set one of them`)
    else {
      try {
        added[name] = read(path).replace(/\r?\n$/, '')
        if (added[name] === '') mistakes.push(`${name}${SUFFIX}: ${path} is empty; it must hold the value of ${name}`)
      } catch (error) {
        mistakes.push(`${name}${SUFFIX}: cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  if (mistakes.length > 0) throw new OptionsError(mistakes)
  return { ...env, ...added }
}
