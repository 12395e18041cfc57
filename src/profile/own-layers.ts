/** The layer of repositories found in roots: it keeps git from obeying a call's writes. */
export const REPOSITORY_LAYER = "repository";

/** The layer that keeps tools from changing the product's own code. */
export const INSTALLATION_LAYER = "installation";

/** The layer of the sandbox's own restrictions, beyond those of profiles: the limits of its plan. */
export const LIMIT_LAYER = "sandbox";

/** The layer of the permanent shipped profile: it protects files that programs of the machine execute or obey. */
export const PROTECTED_LAYER = "protected";
