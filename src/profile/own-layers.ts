/** The layer of what was found in roots: it keeps git from obeying what a call writes. */
export const REPOSITORY_LAYER = "repository";

/** The layer that keeps tools from changing the product's own code. */
export const INSTALLATION_LAYER = "installation";

/** The layer of what a sandbox keeps from being done although no profile says so: the limits of its plan. */
export const LIMIT_LAYER = "sandbox";

/** The layer of the shipped profile that holds always: it keeps what programs of the machine execute or obey as it is. */
export const PROTECTED_LAYER = "protected";
