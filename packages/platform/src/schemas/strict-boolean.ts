/** Booleans that decide whether money moves: never text or numbers. */
import { z } from 'zod'

/** Error message, by which request validation recognizes such a field. */
export const STRICT_BOOLEAN = 'expected true or false, as a JSON boolean'

export const StrictBoolean = z.boolean({ error: STRICT_BOOLEAN })
