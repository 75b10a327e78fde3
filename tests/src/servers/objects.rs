//! The objects of the S3 server: the objects of `s3s-fs`, with additions for tests.
//!
//! Features of version 0.14.1, according to its source:
//!
//! - signatures of version 2 and 4, in headers and in queries; the time in them may be 15 minutes off
//! - `GetObject` and `HeadObject` with one range; 416 for a range past the end; entity tags, which are the MD5 of the bytes (each request
//!   computes the tag anew for an object that did not pass the server)
//! - `PutObject` with `If-None-Match: *` and `If-Match`, with checksums; a complete file is renamed to its final path
//! - uploads in parts: create, upload, copy a part, complete (with both conditions), abort. Parts but the last must have 5 MiB
//! - `ListObjectsV2` and `ListObjects` in pages of at most 1000, with prefix, delimiter and tokens; sorted by bytes. Each page traverses
//!   the whole bucket
//! - `CopyObject`, `DeleteObject`, `DeleteObjects`, and the bucket operations
//!
//! Missing features, added here:
//!
//! - `If-Match` of `GetObject` and `HeadObject`, which it ignores
//! - 404 for a prefix that is no key: its objects are files, and for the key of a directory it answers 500, because it cannot read the
//!   directory's bytes
//! - conditions that hold until the object is written: it checks first and writes later, so two concurrent requests with `If-None-Match: *`
//!   can both succeed
//!
//! Features still missing:
//!
//! - an object `a` and an object `a/b` at the same time; keys with empty parts or dots as parts
//! - conditions of `DeleteObject` and `If-None-Match` of `GetObject`, which are ignored; versions of objects; lists of unfinished uploads
//! - checksums of parts, and entity tags of parts when an upload is completed: they are not compared
//! - keys of more than about 170 bytes cannot be put, as their base64 is part of the name of a file
//! - new entity tags for replaced files: an object keeps its entity tag if it passed the server before
//! - `NoSuchBucket`: a missing bucket looks like a missing key, except to lists

use std::path::PathBuf;

use s3s::dto::{
    AbortMultipartUploadInput, AbortMultipartUploadOutput, CompleteMultipartUploadInput,
    CompleteMultipartUploadOutput, CopyObjectInput, CopyObjectOutput, CreateMultipartUploadInput,
    CreateMultipartUploadOutput, DeleteObjectInput, DeleteObjectOutput, DeleteObjectsInput,
    DeleteObjectsOutput, ETag, ETagCondition, GetObjectInput, GetObjectOutput, HeadBucketInput,
    HeadBucketOutput, HeadObjectInput, HeadObjectOutput, ListObjectsInput, ListObjectsOutput,
    ListObjectsV2Input, ListObjectsV2Output, ListPartsInput, ListPartsOutput, PutObjectInput,
    PutObjectOutput, UploadPartInput, UploadPartOutput,
};
use s3s::{S3Request, S3Response, S3Result, s3_error};
use s3s_fs::FileSystem;
use tokio::sync::RwLock;

type Asked<T> = S3Request<T>;
type Given<T> = S3Result<S3Response<T>>;

/// The objects of all buckets in a directory.
#[derive(Debug)]
pub(super) struct Objects {
    files: FileSystem,
    folder: PathBuf,
    /// Whether the server checks conditions of `PutObject`.
    conditions: bool,
    /// Conditional writes are exclusive.
    writes: RwLock<()>,
}

impl Objects {
    /// Creates the objects in a directory with one subdirectory per bucket.
    pub fn new(folder: PathBuf, conditions: bool) -> Self {
        Self {
            files: FileSystem::new(&folder).expect("a folder"),
            folder,
            conditions,
            writes: RwLock::default(),
        }
    }

    /// Returns an error for a directory.
    fn no_folder(&self, bucket: &str, key: &str) -> S3Result<()> {
        match self.folder.join(bucket).join(key).is_dir() {
            true => Err(s3_error!(NoSuchKey)),
            false => Ok(()),
        }
    }
}

/// Returns an error unless the entity tag meets the request's condition.
fn matches(wanted: Option<ETagCondition>, tag: Option<&ETag>) -> S3Result<()> {
    match (wanted, tag) {
        (Some(ETagCondition::ETag(wanted)), Some(tag)) if !wanted.strong_cmp(tag) => {
            Err(s3_error!(PreconditionFailed))
        }
        _ => Ok(()),
    }
}

#[async_trait::async_trait]
impl s3s::S3 for Objects {
    async fn get_object(&self, asked: Asked<GetObjectInput>) -> Given<GetObjectOutput> {
        self.no_folder(&asked.input.bucket, &asked.input.key)?;
        let wanted = asked.input.if_match.clone();
        let given = self.files.get_object(asked).await?;
        matches(wanted, given.output.e_tag.as_ref())?;
        Ok(given)
    }

    async fn head_object(&self, asked: Asked<HeadObjectInput>) -> Given<HeadObjectOutput> {
        self.no_folder(&asked.input.bucket, &asked.input.key)?;
        let wanted = asked.input.if_match.clone();
        let given = self.files.head_object(asked).await?;
        matches(wanted, given.output.e_tag.as_ref())?;
        Ok(given)
    }

    async fn put_object(&self, mut asked: Asked<PutObjectInput>) -> Given<PutObjectOutput> {
        if !self.conditions {
            asked.input.if_none_match = None;
        }
        if asked.input.if_match.is_some() || asked.input.if_none_match.is_some() {
            let _alone = self.writes.write().await;
            return self.files.put_object(asked).await;
        }
        let _together = self.writes.read().await;
        self.files.put_object(asked).await
    }

    async fn complete_multipart_upload(
        &self,
        asked: Asked<CompleteMultipartUploadInput>,
    ) -> Given<CompleteMultipartUploadOutput> {
        let _alone = self.writes.write().await;
        self.files.complete_multipart_upload(asked).await
    }

    async fn create_multipart_upload(
        &self,
        asked: Asked<CreateMultipartUploadInput>,
    ) -> Given<CreateMultipartUploadOutput> {
        self.files.create_multipart_upload(asked).await
    }

    async fn upload_part(&self, asked: Asked<UploadPartInput>) -> Given<UploadPartOutput> {
        self.files.upload_part(asked).await
    }

    async fn list_parts(&self, asked: Asked<ListPartsInput>) -> Given<ListPartsOutput> {
        self.files.list_parts(asked).await
    }

    async fn abort_multipart_upload(
        &self,
        asked: Asked<AbortMultipartUploadInput>,
    ) -> Given<AbortMultipartUploadOutput> {
        self.files.abort_multipart_upload(asked).await
    }

    async fn copy_object(&self, asked: Asked<CopyObjectInput>) -> Given<CopyObjectOutput> {
        let _together = self.writes.read().await;
        self.files.copy_object(asked).await
    }

    async fn delete_object(&self, asked: Asked<DeleteObjectInput>) -> Given<DeleteObjectOutput> {
        let _together = self.writes.read().await;
        self.files.delete_object(asked).await
    }

    async fn delete_objects(&self, asked: Asked<DeleteObjectsInput>) -> Given<DeleteObjectsOutput> {
        let _together = self.writes.read().await;
        self.files.delete_objects(asked).await
    }

    async fn head_bucket(&self, asked: Asked<HeadBucketInput>) -> Given<HeadBucketOutput> {
        self.files.head_bucket(asked).await
    }

    async fn list_objects(&self, asked: Asked<ListObjectsInput>) -> Given<ListObjectsOutput> {
        self.files.list_objects(asked).await
    }

    async fn list_objects_v2(
        &self,
        asked: Asked<ListObjectsV2Input>,
    ) -> Given<ListObjectsV2Output> {
        self.files.list_objects_v2(asked).await
    }
}
