/** These errors never contain the secret or the password. */
import { ValidatorError } from '../errors.ts'

export function keyFileError(what: string, cause?: unknown): ValidatorError {
  return new ValidatorError('consensus/validator-key', 'critical', `the key file cannot be used: ${what}`, {}, { cause })
}

export function keyError(message: string, cause?: unknown): ValidatorError {
  return new ValidatorError('consensus/validator-key', 'critical', message, {}, { cause })
}
