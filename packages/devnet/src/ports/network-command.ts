import { resolve } from 'node:path'

export const DEFAULT_DEVNET_FOLDER = '.keelson/devnet'

const PLAIN = /^[A-Za-z0-9_./-]+$/

export function networkCommand(action: 'status' | 'stop', folder: string): string {
  if (resolve(folder) === resolve(DEFAULT_DEVNET_FOLDER)) return `npm run ${action}`
  return `npm run ${action} -- --data-dir ${PLAIN.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`}`
}
