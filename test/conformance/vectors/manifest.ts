import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderProblem } from './list-files.ts'
import { isDocumentation, MANIFEST } from './vector-folder.ts'

export interface Manifest {
  readonly files: Readonly<Record<string, string | null>> | null
  readonly cases: Readonly<Record<string, number>>
  readonly folders: readonly string[]
}

export function readManifest(root: string): Manifest {
  const folders = readmeFolders(root)
  const path = join(root, MANIFEST)
  if (!existsSync(path)) return { files: null, cases: {}, folders }
  const parsed = parse(path)
  const { files = null, cases = {}, ...others } = parsed as { files?: unknown; cases?: unknown }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`${path}: expected "files" and "cases", got "${unknown}"`)
  if (files !== null && !isRecord(files, (hash) => hash === null || (typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash))))
    throw new Error(`${path}: "files" must give a SHA-256 in hex, or null, for each path`)
  if (!isRecord(cases, (count) => Number.isInteger(count))) throw new Error(`${path}: "cases" must give a number for each group`)
  return { files: files as Manifest['files'], cases: cases as Manifest['cases'], folders }
}

function parse(path: string): unknown {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isRecord(parsed, () => true)) return parsed
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`)
  }
  throw new Error(`${path}: expected an object`)
}

function isRecord(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isEntry)
}

function readmeFolders(root: string): readonly string[] {
  const path = join(root, 'README.md')
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  const head = lines.findIndex((line) => /^\|\s*group\s*\|/i.test(line))
  if (head === -1) return []
  const rows = lines.slice(head + 2)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(0, end === -1 ? rows.length : end).flatMap((row) =>
    (row.split('|')[1] ?? '')
      .split(',')
      .map((cell) => cell.trim())
      .filter((cell) => cell !== ''),
  )
}

export function compareWithManifest(root: string, paths: readonly string[], manifest: Manifest): FolderProblem[] {
  const missingFolders = manifest.folders
    .filter((folder) => !paths.some((path) => path.startsWith(`${folder}/`) && !isDocumentation(path)))
    .map((path) => ({ path, message: 'the README names this group, but the folder has no vectors of it' }))
  const { files } = manifest
  if (files === null) return missingFolders
  const present = new Set(paths)
  const missing = Object.keys(files)
    .filter((path) => !present.has(path))
    .map((path) => ({ path, message: `${MANIFEST} names this file, but the folder does not have it` }))
  const extra = paths
    .filter((path) => files[path] === undefined && !isDocumentation(path))
    .map((path) => ({ path, message: `${MANIFEST} does not name this file` }))
  const changed = paths
    .filter((path) => typeof files[path] === 'string' && sha256(join(root, path)) !== files[path])
    .map((path) => ({ path, message: `its SHA-256 is not the one in ${MANIFEST}` }))
  return [...missingFolders, ...missing, ...extra, ...changed]
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
