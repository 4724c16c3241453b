/** The reference page of options. */
import { type OptionDefinition, Secret } from '@keelson/runtime'
import type { ListedCommand } from './list-commands.ts'

const HEAD = `# Options

Generated from the definitions of the options by \`node --import=tsx scripts/gen-options.ts\`.

Each option has a flag, an environment variable and a key in the configuration files of \`--config\`
([schema](../../config/options.schema.json)). A flag comes before the environment, which comes before the files, the last of them
first; then come what the network sets and the default. A switch that is on is turned off with \`--no-\` before its name. For a
secret, the variable with \`_FILE\` at its end names a file that holds it.
`

export function renderReference(commands: readonly ListedCommand[]): string {
  const list = commands.map(({ path, summary }) => `- [\`keelson ${path}\`](#keelson-${path.replaceAll(' ', '-')}): ${summary}`)
  return `${[`${HEAD}\n${list.join('\n')}`, ...commands.map(section)].join('\n\n')}\n`
}

function section({ path, summary, options }: ListedCommand): string {
  const head = `## keelson ${path}\n\n${capital(summary)}.`
  const definitions = Object.values(options)
  if (definitions.length === 0) return `${head} It has no options.`
  const rows = definitions.map((definition) => `| ${cellsOf(definition).map(escapeCell).join(' | ')} |`)
  return [head, '', '| flag | default | key | environment | |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

function cellsOf(definition: OptionDefinition<unknown>): readonly string[] {
  const { flag, short, alias, env, key, parse, description } = definition
  const value = parse.isSwitch === true ? '' : ` ${parse.placeholder ?? '<value>'}`
  const also = alias === null ? '' : ` Also \`--${alias.flag}\`.`
  const variables = [env, ...(alias === null ? [] : [alias.env])].map((name) => `\`${name}\``).join(', ')
  return [`\`${short === null ? '' : `-${short}, `}--${flag}${value}\``, defaultOf(definition), `\`${key}\``, variables, description + also]
}

function defaultOf({ default: value, defaultText, optional, secret, parse }: OptionDefinition<unknown>): string {
  if (defaultText !== null) return `\`${defaultText}\``
  if (value === undefined) return optional ? '' : 'required'
  if (value === null) return ''
  if (secret || value instanceof Secret) return 'secret'
  const text = parse.show?.(value) ?? String(value)
  return text === '' ? '' : `\`${text}\``
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|')
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
