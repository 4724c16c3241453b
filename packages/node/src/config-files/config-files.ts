/**
 * Configuration files of `--config`: a JSON object with a section for each command, such as "execution" or "validator run". A
 * section holds options by their keys.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProjectRoot } from '@keelson/devnet/genesis'
import { messageOf } from '@keelson/primitives'
import { closestName, type OptionFile } from '@keelson/runtime'
import { AssemblyError } from '../errors.ts'
import { listRoles, rolesFolder } from './roles.ts'

export type HasCommand = (path: string) => Promise<boolean>

/**
 * Returns the command's section of each file that has one. Throws AssemblyError `node/config-file` when a file cannot be read or names
 * a command that does not exist, and when no file has a section for this command.
 */
export async function readConfigFiles(names: readonly string[], command: string, hasCommand: HasCommand): Promise<readonly OptionFile[]> {
  const files = names.map((name) => readSections(findFile(name)))
  for (const { path, sections } of files)
    for (const name of sections.keys())
      if (name !== command && !(await hasCommand(name)))
        throw new AssemblyError('node/config-file', `${path} has a section "${name}", but there is no such command${meant(name, command)}`)
  const found = files.flatMap(({ path, sections }) => {
    const values = sections.get(command)
    return values === undefined ? [] : [{ path, values }]
  })
  if (found.length > 0 || files.length === 0) return found
  const have = files.flatMap(({ sections }) => [...sections.keys()])
  throw new AssemblyError(
    'node/config-file',
    `${files.map(({ path }) => path).join(', ')}: no section "${command}"; there is ${have.length === 0 ? 'none' : have.join(', ')}`,
  )
}

/** A value without a slash and without `.json` names a preset. */
function findFile(name: string): string {
  if (/[/\\]|\.json$/.test(name)) return name
  const roles = listRoles()
  if (roles.includes(name)) return join(rolesFolder(findProjectRoot()), `${name}.json`)
  const closest = closestName(name, roles)
  throw new AssemblyError(
    'node/config-file',
    `--config: no preset has the name "${name.slice(0, 80)}"${closest === null ? '' : ` (did you mean ${closest}?)`}; the presets are ${roles.join(', ')}; to name a file, write ./${name.slice(0, 80)}`,
  )
}

interface Sections {
  readonly path: string
  readonly sections: ReadonlyMap<string, OptionFile['values']>
}

function readSections(path: string): Sections {
  const content = readJson(path)
  if (!isObject(content)) throw new AssemblyError('node/config-file', `${path} must hold a JSON object with a section for each command`)
  const sections = new Map<string, OptionFile['values']>()
  for (const [name, values] of Object.entries(content)) {
    if (name === '$schema') continue
    if (!isObject(values))
      throw new AssemblyError('node/config-file', `"${name}" in ${path}: expected a section, an object of options by key`)
    sections.set(name, values)
  }
  return { path, sections }
}

function readJson(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (cause) {
    throw new AssemblyError('node/config-file', `cannot read the configuration file ${path}: ${messageOf(cause)}`, {}, { cause })
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AssemblyError('node/config-file', `the configuration file ${path} is not JSON${placeOf(messageOf(error), text)}`)
  }
}

/** The parser's own message may quote the file, which may hold a secret. */
function placeOf(message: string, text: string): string {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position === undefined) return ''
  const lines = text.slice(0, Number(position)).split('\n')
  return `: look at line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function meant(name: string, command: string): string {
  return closestName(name, [command]) === null ? '' : `; did you mean "${command}"?`
}
