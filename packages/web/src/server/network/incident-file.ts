import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from '@keelson/primitives'
import type { Incident } from '../../shared/network-document.ts'

/** Where incidents outlive the server. Failures are logged: the pages go on without them. */
export interface IncidentStore {
  read(): Promise<readonly Incident[]>
  write(incidents: readonly Incident[]): Promise<void>
}

export const NO_INCIDENT_STORE: IncidentStore = { read: async () => [], write: async () => undefined }

const MAX_BYTES = 1024 * 1024

export function createIncidentFile(path: string, log: Logger): IncidentStore {
  return {
    async read() {
      try {
        if ((await stat(path)).size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`)
        const found: unknown = JSON.parse(await readFile(path, 'utf8'))
        if (!Array.isArray(found) || !found.every(isIncident)) throw new Error('it holds no incidents')
        return found
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
          log.warn('the file of incidents cannot be read; beginning without', { path, error })
        return []
      }
    },
    async write(incidents) {
      try {
        await mkdir(dirname(path), { recursive: true })
        await writeFile(`${path}.new`, JSON.stringify(incidents))
        await rename(`${path}.new`, path)
      } catch (error) {
        log.warn('the file of incidents cannot be written', { path, error })
      }
    },
  }
}

function isIncident(value: unknown): value is Incident {
  const { role, check, what, fromMs, toMs } = (value ?? {}) as Partial<Incident>
  const isText = [role, check, what].every((text) => typeof text === 'string')
  return isText && Number.isFinite(fromMs) && (toMs === null || Number.isFinite(toMs))
}
