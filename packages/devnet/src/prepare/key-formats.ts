import type { Secret } from '@keelson/runtime'
import type { ValidatorDutyFolder } from './validator-duty-folder.ts'

/** Provided by the composition root. */
export interface KeyFormats {
  loadNodeKey(path: string): Promise<Uint8Array>
  peerIdOfNodeKey(key: Uint8Array): Promise<string>
  /** Uses a fast key derivation, because the password is public. */
  encryptKey(key: Secret<Uint8Array>, password: string, description: string): Promise<string>
  writeSecretFile(path: string, text: string, options?: { readonly replace: boolean }): Promise<void>
  /** Creates a key with slashing protection unless the folder has one. */
  makeValidatorKey(folder: ValidatorDutyFolder): Promise<void>
}
