import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = resolve(fileURLToPath(new URL('../../..', import.meta.url)))
const COPIED = ['package.json', 'tsconfig.json', 'config', 'packages', 'test/simulated']
const OWN_SCOPE = '@keelson'

/** Copies what a simulation needs into an empty folder. Packages of others are links, our own are those of the copy. */
export function copySources(folder: string): void {
  for (const path of COPIED)
    cpSync(join(ROOT, path), join(folder, path), { recursive: true, filter: (from) => !from.endsWith('node_modules') })
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, OWN_SCOPE), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== OWN_SCOPE) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  for (const { name } of readdirSync(join(ROOT, 'packages'), { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    symlinkSync(join(folder, 'packages', name), join(modules, OWN_SCOPE, name))
    const nested = join(ROOT, 'packages', name, 'node_modules')
    if (existsSync(nested)) symlinkSync(nested, join(folder, 'packages', name, 'node_modules'))
  }
}
