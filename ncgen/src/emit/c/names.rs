//! Identifiers of a C program. Duplicates get a number, so each identifier is unique.

use std::collections::HashSet;

use netcdf_core::model::{Atomic, DataType, DimId, GroupId, Schema, TypeId, VarId};

use super::super::name::{self, claim, unique};

/// Reserved names: keywords, names in the headers, and names in the program.
const RESERVED: &str = "\
    auto break case char const continue default do double else enum extern float for goto if inline int long register restrict \
    return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false nullptr typeof asm \
    alignas alignof constexpr thread_local static_assert \
    abort abs at_quick_exit atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs lldiv malloc mblen \
    mbstowcs mbtowc posix_memalign qsort quick_exit rand realloc srand strtod strtof strtol strtold strtoll strtoul strtoull \
    system wcstombs wctomb a64l clearenv drand48 ecvt erand48 fcvt gcvt getloadavg getsubopt grantpt initstate jrand48 l64a \
    lcong48 lrand48 mkdtemp mkstemp mktemp mrand48 nrand48 on_exit ptsname putenv random realpath rpmatch seed48 select pselect \
    setenv setstate srand48 srandom unlockpt unsetenv valloc alloca \
    clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf fseek fsetpos ftell \
    fwrite getc getchar gets perror printf putc putchar puts remove rename rewind scanf setbuf setvbuf snprintf sprintf sscanf \
    tmpfile tmpnam ungetc vfprintf vprintf vsnprintf vsprintf vscanf vsscanf vfscanf ctermid dprintf fdopen fileno flockfile \
    fmemopen funlockfile getdelim getline getw open_memstream pclose popen putw renameat setbuffer setlinebuf tempnam vdprintf \
    stdin stdout stderr errno NULL EOF BUFSIZ FILE linux unix i386 \
    size_t ssize_t ptrdiff_t wchar_t max_align_t div_t ldiv_t lldiv_t fpos_t off_t va_list fd_set fd_mask suseconds_t time_t \
    clock_t timer_t dev_t gid_t ino_t mode_t nlink_t uid_t pid_t id_t key_t quad_t u_quad_t fsid_t loff_t caddr_t daddr_t \
    u_char u_short u_int u_long ushort uint ulong int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t u_int8_t \
    u_int16_t u_int32_t u_int64_t register_t blksize_t blkcnt_t fsblkcnt_t fsfilcnt_t timeval timespec \
    nan nanf inf inff infinity infinityf stat ncid count econst check_err CHECK_ERR";

/// The identifiers, indexed by the ids of the objects.
pub(super) struct CNames {
    /// Whether the program has only one group, `ncid`.
    pub(super) classic: bool,
    groups: Vec<String>,
    types: Vec<String>,
    dims: Vec<String>,
    vars: Vec<String>,
    /// The prefix of the root group's attribute names.
    root: Vec<u8>,
}

impl CNames {
    pub(super) fn new(schema: &Schema, dataset: &[u8]) -> Self {
        let classic = !schema.kind.is_enhanced();
        let path = |group: GroupId, own: &[u8]| {
            if classic {
                return own.to_vec();
            }
            let mut path = name::group_path(schema, group);
            path.push(b'/');
            name::part(own, &mut path);
            path
        };
        let groups = schema.groups.iter().map(|g| match g.parent {
            Some(parent) => path(parent, g.name.as_bytes()),
            None => dataset.to_vec(),
        });
        let groups = unique(groups, &mut HashSet::new());
        let dims = schema.dims.iter();
        let dims = unique(
            dims.map(|d| path(d.group, d.name.as_bytes())),
            &mut HashSet::new(),
        );
        let vars = schema.vars.iter();
        let vars = unique(
            vars.map(|v| path(v.group, v.name.as_bytes())),
            &mut HashSet::new(),
        );
        let mut taken = reserved(&groups, &dims, &vars);
        let types = schema.types.iter();
        let types = unique(types.map(|t| path(t.group, t.name.as_bytes())), &mut taken);
        Self {
            classic,
            groups,
            types,
            dims,
            vars,
            root: if classic { dataset.to_vec() } else { vec![] },
        }
    }

    /// Returns the variable with a group's id.
    pub(super) fn group(&self, id: GroupId) -> String {
        match self.groups.get(id.index()).filter(|_| !self.classic) {
            Some(name) => format!("{name}_grp"),
            None => "ncid".to_owned(),
        }
    }

    pub(super) fn dim(&self, id: DimId) -> &str {
        self.dims.get(id.index()).map_or("", String::as_str)
    }

    pub(super) fn var(&self, id: VarId) -> &str {
        self.vars.get(id.index()).map_or("", String::as_str)
    }

    /// Returns the C type of a type.
    pub(super) fn ty(&self, ty: DataType) -> &str {
        match ty {
            DataType::Atomic(atomic) => atomic_type(atomic),
            DataType::User(id) => self.user_type(id),
        }
    }

    pub(super) fn user_type(&self, id: TypeId) -> &str {
        self.types.get(id.index()).map_or("", String::as_str)
    }

    /// Returns netCDF's id of a type: a macro or a variable.
    pub(super) fn type_id(&self, ty: DataType) -> String {
        match ty {
            DataType::Atomic(atomic) => type_macro(atomic),
            DataType::User(id) => format!("{}_typ", self.user_type(id)),
        }
    }

    /// Returns the members of an enum, or the fields of a compound type.
    pub(super) fn members<'a>(
        &self,
        id: TypeId,
        members: impl Iterator<Item = &'a [u8]>,
    ) -> Vec<String> {
        let mut taken = HashSet::new();
        let name = |member: &[u8]| {
            let mut own = vec![];
            name::part(member, &mut own);
            let first = format!("{}_PERIOD_{}", self.user_type(id), name::rest(&own));
            claim(first, &mut taken)
        };
        members.map(name).collect()
    }

    /// Returns the name of an attribute. Each attribute has a separate code block, so names may repeat.
    pub(super) fn attribute(&self, schema: &Schema, group: GroupId, own: &[u8]) -> String {
        let mut path = match schema.group(group).and_then(|g| g.parent) {
            Some(_) => name::group_path(schema, group),
            None => self.root.clone(),
        };
        path.push(b'_');
        name::part(own, &mut path);
        name::whole(&path)
    }
}

/// Returns the reserved names of types.
fn reserved(groups: &[String], dims: &[String], vars: &[String]) -> HashSet<String> {
    let mut taken: HashSet<String> = RESERVED.split_whitespace().map(str::to_owned).collect();
    taken.extend(groups.iter().map(|g| format!("{g}_grp")));
    for suffix in ["dim", "len"] {
        taken.extend(dims.iter().map(|d| format!("{d}_{suffix}")));
    }
    for suffix in ["id", "dims", "chunksizes"] {
        taken.extend(vars.iter().map(|v| format!("{v}_{suffix}")));
    }
    taken.extend(vars.iter().map(|v| format!("RANK_{v}")));
    taken
}

/// Returns the C type of an atomic type.
pub(super) fn atomic_type(ty: Atomic) -> &'static str {
    match ty {
        Atomic::Byte => "signed char",
        Atomic::Char => "char",
        Atomic::Short => "short",
        Atomic::Int => "int",
        Atomic::Float => "float",
        Atomic::Double => "double",
        Atomic::UByte => "unsigned char",
        Atomic::UShort => "unsigned short",
        Atomic::UInt => "unsigned int",
        Atomic::Int64 => "signed long long",
        Atomic::UInt64 => "unsigned long long",
        Atomic::String => "char*",
    }
}

/// Returns `NC_INT` or another type macro.
pub(super) fn type_macro(ty: Atomic) -> String {
    format!("NC_{}", ty.name().to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_twice() {
        let names = ["a-b", "a_MINUS_b", "_a", "a"].map(|n| n.as_bytes().to_vec());
        let names = unique(names.into_iter(), &mut HashSet::new());
        assert_eq!(names, ["a_MINUS_b", "a_MINUS_b_2", "a", "a_2"]);
    }

    #[test]
    fn types_are_not_called_as_something_else() {
        let mut taken = reserved(&[], &["x".to_owned()], &[]);
        assert_eq!(claim("double".to_owned(), &mut taken), "double_2");
        assert_eq!(claim("x_dim".to_owned(), &mut taken), "x_dim_2");
    }
}
