import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

export interface Chromium {
  /** Absolute path. */
  readonly command: string
  readonly version: string
}

/** Null if none is installed. */
export function findChromium(): Chromium | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  for (const command of CHROMIUM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if (!existsSync(command)) continue
    const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' })
    if (status === 0) return { command, version: stdout.trim() }
  }
  return null
}
