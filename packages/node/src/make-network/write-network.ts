/** Writes into a temporary folder and renames it when complete. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AssemblyError } from '../errors.ts'

/** Throws AssemblyError `node/usage` for a file or a nonempty folder. */
export function assertNewFolder(folder: string, flag: string): void {
  if (!existsSync(folder)) return
  let names: readonly string[]
  try {
    names = readdirSync(folder)
  } catch {
    throw new AssemblyError('node/usage', `${flag} ${folder} is not a folder; name a new one`)
  }
  if (names.length > 0) throw new AssemblyError('node/usage', `${flag} ${folder} is not empty and is not written over; name a new folder`)
}

export interface NetworkDraft {
  readonly folder: string
  publish(): void
  discard(): void
}

export function openDraft(folder: string): NetworkDraft {
  assertNewFolder(folder, '--out')
  const draft = `${resolve(folder)}.unfinished`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  return {
    folder: draft,
    publish() {
      assertNewFolder(folder, '--out')
      // Some systems cannot rename onto an empty folder.
      rmSync(folder, { recursive: true, force: true })
      renameSync(draft, folder)
    },
    discard: () => rmSync(draft, { recursive: true, force: true }),
  }
}

export function draftNetwork(folder: string, files: ReadonlyMap<string, string>): NetworkDraft {
  const draft = openDraft(folder)
  for (const [name, content] of files) writeFileSync(join(draft.folder, name), content, { flag: 'wx' })
  return draft
}
